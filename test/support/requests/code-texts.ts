/**
 * Texts that break code into which they are inserted: quotes, escapes, substitutions, line ends, invisible
 * characters.
 */
export const hostileTexts: readonly string[] = [
  '',
  'plain',
  `it's "quoted" and \`ticked\``,
  "'; rm -rf ~; echo '",
  `'\\''`,
  '$HOME ${HOME} $(id) `id` !! !$ %PATH%',
  '\\ \\n \\\\ \\" \\\' \\u0041 ends with a backslash \\',
  'lines\nof\r\na text\r, a tab\t and a form feed\f',
  'f"{body}" {name} %s %(x)s {{}}',
  '${process.env.API_KEY} #{x} <%= y %> </script><!-- ]]>',
  '@file',
  '-d --data',
  'JSON\nEOF\n',
  '\'\'\'\n"""\n*/ // # --',
  'emoji 🎉 👩‍👩‍👧 ❤️, 中文, العربية, עברית',
  'bell \u0007 escape \u001b[31m null \u0000 delete \u007f next line \u0085',
  'line \u2028 paragraph \u2029 byte order \ufeff zero width \u200b joined \u2060',
  'override \u202e gnirts \u202c isolate \u2066 end \u2069 mark \u200f',
];
