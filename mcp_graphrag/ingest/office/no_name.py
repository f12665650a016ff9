"""What programs write as the title or author of a file where they know none."""

import re

# What programs write where they know no title or author: "(anonymous)", the name of a file.
NO_NAME = re.compile(
    r"\W*(?:|anonymous|unspecified|untitled|unknown|none|null|no title|title|author|user|admin|administrator|owner|root"
    r"|openpyxl|xlsxwriter|python-(?:docx|pptx)|apache poi|libreoffice|openoffice(?:\.org)?"
    r"|(?:document|slide|presentation) ?\d*)\W*|Microsoft (?:Word|PowerPoint|Excel) - .*"
    r"|\S+\.(?:docx?|dvi|tex|indd|pptx?|xlsx?|qx[dp]|pdf|e?ps|rtf|odt|fm|pub|txt|html?)",
    re.IGNORECASE,
)
