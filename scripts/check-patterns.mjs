/**
 * Tries the patterns of `openapi.json` in the regular expressions of other languages, with valid and invalid values.
 * Prints where they differ from ECMA-262. Exit code 1 if a language refuses a pattern, or differs in another way than
 * docs/api.md says. Languages that are not installed are reported.
 */
import { Buffer } from 'node:buffer';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));
const document = JSON.parse(readFileSync(join(project, 'openapi.json'), 'utf8'));
const patterns = [...new Set(patternsIn(document))];

const SPACES = ['\u00a0', '\u1680', '\u2003', '\u2028', '\u2029', '\u202f', '\u205f', '\u3000', '\ufeff', '\u200b'];
const TEXTS = [
  '',
  'a',
  'Rex',
  'käfer',
  '🐈',
  '名前',
  '"etag"',
  '"',
  'true',
  'nosniff',
  'Bearer x',
  '@1893456000',
  'not_found',
];
/** Each text alone, and with each space and control character before it, after it, and both. */
const VALUES = [
  ...new Set(
    TEXTS.flatMap((text) => [
      text,
      ...[...SPACES, ' ', '\t', '\n', '\r', '\0', '\u001f', '\u007f', '\u0085', '\u009f'].flatMap((other) => [
        other + text,
        text + other,
        other + text + other,
      ]),
    ]),
  ),
  'a'.repeat(128),
  'a'.repeat(129),
  'a'.repeat(255),
  'a'.repeat(256),
];

const folder = mkdtempSync(join(tmpdir(), 'patterns-'));
const input = join(folder, 'input.json');

/**
 * Each program prints a JSON list for each pattern, with true for each value that matches; null for a pattern that it
 * refuses.
 */
const LANGUAGES = {
  'Python `re`': [
    'python3',
    'match.py',
    `import json, re, sys
patterns, values = json.load(open(sys.argv[1]))
def matches(pattern):
    try: each = re.compile(pattern)
    except re.error: return None
    return [each.search(value) is not None for value in values]
print(json.dumps([matches(pattern) for pattern in patterns]))`,
  ],
  'PHP `preg_match` with `u` (PCRE)': [
    'php',
    'match.php',
    `<?php [$patterns, $values] = json_decode(file_get_contents($argv[1]));
echo json_encode(array_map(fn ($pattern) => @preg_match("\\1$pattern\\1u", '') === false ? null
  : array_map(fn ($value) => preg_match("\\1$pattern\\1u", $value) === 1, $values), $patterns));`,
  ],
  'Go `regexp` (RE2)': [
    'go',
    'match.go',
    `package main
import ("encoding/json"; "os"; "regexp")
func main() {
  data, _ := os.ReadFile(os.Args[1])
  var input [2][]string
  json.Unmarshal(data, &input)
  all := [][]bool{}
  for _, pattern := range input[0] {
    each, err := regexp.Compile(pattern)
    if err != nil { all = append(all, nil); continue }
    found := []bool{}
    for _, value := range input[1] { found = append(found, each.MatchString(value)) }
    all = append(all, found)
  }
  json.NewEncoder(os.Stdout).Encode(all)
}`,
    'run',
  ],
  'Java `java.util.regex`': [
    'java',
    'Match.java',
    `import java.nio.file.*; import java.util.*; import java.util.regex.*;
class Match {
  public static void main(String[] args) throws Exception {
    var lines = Files.readAllLines(Path.of(args[0] + ".hex"));
    var patterns = read(lines.get(0)); var values = read(lines.get(1));
    var all = new StringJoiner(",", "[", "]");
    for (var pattern : patterns) {
      try {
        var each = Pattern.compile(pattern); var found = new StringJoiner(",", "[", "]");
        for (var value : values) found.add("" + each.matcher(value).find());
        all.add(found.toString());
      } catch (PatternSyntaxException error) { all.add("null"); }
    }
    System.out.println(all);
  }
  static List<String> read(String line) {
    var texts = new ArrayList<String>();
    for (var hex : line.split(",", -1)) texts.add(new String(HexFormat.of().parseHex(hex), java.nio.charset.StandardCharsets.UTF_8));
    return texts;
  }
}`,
  ],
};

function patternsIn(value) {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'pattern' && typeof inner === 'string' ? [inner] : patternsIn(inner),
  );
}

/** The results of a language for each pattern and value; undefined if the language is not installed. */
function ask([command, file, source, ...args]) {
  writeFileSync(join(folder, file), source);
  const { status, stdout, stderr, error } = spawnSync(command, [...args, join(folder, file), input], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (error?.code === 'ENOENT') return undefined;
  if (status !== 0) throw error ?? new Error(`${command} ended with ${String(status)}: ${stderr}`);
  return JSON.parse(stdout);
}

/** A text with the differences from ECMA-262, where `$` does not match before a line terminator. */
function differences(found) {
  const endings = new Set();
  const others = new Set();
  for (const [at, pattern] of patterns.entries()) {
    if (found[at] === null) others.add(`refuses \`${pattern}\``);
    const ours = new RegExp(pattern, 'u');
    for (const [n, value] of found[at] === null ? [] : VALUES.entries()) {
      if (ours.test(value) === found[at][n]) continue;
      const isEnding = found[at][n] && /[\n\r\u0085\u2028\u2029]$/.test(value) && ours.test(value.slice(0, -1));
      if (isEnding) endings.add(`U+${value.at(-1).charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`);
      else others.add(`${found[at][n] ? 'takes' : 'refuses'} ${JSON.stringify(value)} for \`${pattern}\``);
    }
  }
  const taken = [...endings].sort().join(', ');
  return [...(taken === '' ? [] : [`takes one ${taken} after the end`]), ...others].join('; ') || 'none';
}

try {
  writeFileSync(input, JSON.stringify([patterns, VALUES]));
  const hex = (texts) => texts.map((text) => Buffer.from(text).toString('hex')).join(',');
  writeFileSync(`${input}.hex`, `${hex(patterns)}\n${hex(VALUES)}\n`);
  const page = readFileSync(join(project, 'docs/api.md'), 'utf8');
  for (const [language, program] of Object.entries(LANGUAGES)) {
    const found = ask(program);
    if (found === undefined) {
      console.log(`${language}: not installed`);
      continue;
    }
    const row = `| ${language} | ${differences(found)} |`;
    const isDocumented = page.includes(row);
    console.log(isDocumented ? row : `${row}  <- not in docs/api.md`);
    if (!isDocumented) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}
