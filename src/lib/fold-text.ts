/** Letters without a Unicode decomposition, with their usual transliteration. */
const TRANSLITERATIONS: Readonly<Record<string, string>> = {
  ß: 'ss',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  ς: 'σ',
}

const LETTERS = new RegExp(`[${Object.keys(TRANSLITERATIONS).join('')}]`, 'gu')

/**
 * Accents of the Latin, Greek and Cyrillic scripts, Hebrew points, Arabic vowel signs, and symbol
 * marks. Marks of other scripts are part of their letters.
 */
const ACCENTS =
  // oxlint-disable-next-line eslint/no-misleading-character-class -- marks by themselves are meant
  /[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+/gu

/**
 * Normalizes a text for comparison, sorting and search: removes case, accents and letter variants.
 * `Zoë ÅNGSTRÖM` becomes `zoe angstrom`, `Straße` `strasse`, `Łódź` `lodz`; full-width letters
 * become normal ones (Unicode NFKC).
 */
export function foldText(text: string): string {
  // Fast path: nearly all texts are ASCII.
  // oxlint-disable-next-line no-control-regex
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase().trim()
  return text
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .toLowerCase()
    .replace(ACCENTS, '')
    .normalize('NFC')
    .replace(LETTERS, (letter) => TRANSLITERATIONS[letter] ?? letter)
    .trim()
}
