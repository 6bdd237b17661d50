/**
 * Letters that are letters of their own to Unicode, as they are written where they cannot be typed.
 */
const PLAIN: Readonly<Record<string, string>> = {
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

const LETTERS = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'gu')

/**
 * Accents of the Latin, Greek and Cyrillic scripts, points of the Hebrew and vowel signs of the
 * Arabic one, and marks around symbols. The marks of other scripts are part of the letters.
 */
const ACCENTS =
  // oxlint-disable-next-line eslint/no-misleading-character-class -- marks by themselves are meant
  /[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+/gu

/**
 * A text without case, accents and ways of writing a letter, for comparing, sorting and searching:
 * `Zoë ÅNGSTRÖM` becomes `zoe angstrom`, `Straße` `strasse`, `Łódź` `lodz`, and full-width letters
 * become the usual ones (Unicode NFKC).
 */
export function fold(text: string): string {
  // Plain letters are what nearly everything is made of.
  // oxlint-disable-next-line no-control-regex
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase().trim()
  return text
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .toLowerCase()
    .replace(ACCENTS, '')
    .normalize('NFC')
    .replace(LETTERS, (letter) => PLAIN[letter] ?? letter)
    .trim()
}
