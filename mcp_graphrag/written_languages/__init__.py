"""The languages that texts are written in: which one it is, the words of each that say nothing, and its stems."""
