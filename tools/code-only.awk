# Prints C files as FILE:LINE:TEXT with comments removed and string literals emptied, so that the
# checks beside this file see code alone. Line numbers stay those of the file.
FNR == 1 { in_comment = 0 }
{
	line = $0
	out = ""
	while (line != "") {
		if (in_comment) {
			at = index(line, "*/")
			if (!at)
				break
			line = substr(line, at + 2)
			in_comment = 0
			out = out " "
			continue
		}
		if (!match(line, /"|'|\/\*|\/\//)) {
			out = out line
			break
		}
		token = substr(line, RSTART, RLENGTH)
		out = out substr(line, 1, RSTART - 1)
		line = substr(line, RSTART + RLENGTH)
		if (token == "/*") {
			in_comment = 1
		} else if (token == "//") {
			out = out "//"
			break
		} else {
			pattern = token == "\"" ? "^([^\"\\\\]|\\\\.)*\"" : "^([^'\\\\]|\\\\.)*'"
			if (match(line, pattern)) {
				line = substr(line, RLENGTH + 1)
				out = out token token
			} else {
				out = out token
			}
		}
	}
	print FILENAME ":" FNR ":" out
}
