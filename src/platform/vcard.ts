/** Only this much of a vCard is searched for the name. A photo may follow it. */
const MAX_CHARACTERS = 16_384

/** A vCard line: property name with optional group, parameters, value. */
const LINE = /^(?:[\w-]+\.)?(?<name>FN|N)(?<parameters>;(?:"[^"]*"|[^":])*)?:(?<value>.*)$/i

/** Reports whether the value of a line is quoted-printable. */
const isQuotedPrintable = (beforeValue: string): boolean =>
  beforeValue.toLowerCase().includes('quoted-printable')

/**
 * Returns the name in a vCard (RFC 6350; 2.1 and 3.0 too): the formatted name, otherwise given and
 * family name, otherwise `null`. Never throws.
 */
export function nameInVcard(vcard: string): string | null {
  const found = new Map<string, string>()
  for (const line of linesOf(vcard.slice(0, MAX_CHARACTERS))) {
    const { name = '', parameters = '', value = '' } = LINE.exec(line)?.groups ?? {}
    const kind = name.toUpperCase()
    if (kind === '' || found.has(kind)) continue
    const decoded = isQuotedPrintable(parameters) ? fromQuotedPrintable(value) : value
    const displayName = kind === 'FN' ? unescape(decoded) : personName(decoded)
    if (displayName !== '') found.set(kind, displayName)
  }
  return found.get('FN') ?? found.get('N') ?? null
}

/**
 * Returns the logical lines of a vCard. Joins folded lines, which begin with a blank, and soft line
 * breaks of quoted-printable, which end with `=`.
 */
function linesOf(vcard: string): string[] {
  const lines: string[][] = []
  let isContinued = false
  for (const line of vcard
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/\n[ \t]/g, '')
    .split('\n')) {
    const isEncoded: boolean =
      isContinued || isQuotedPrintable(line.slice(0, Math.max(0, line.indexOf(':'))))
    const text: string = isEncoded && line.endsWith('=') ? line.slice(0, -1) : line
    if (isContinued) lines.at(-1)?.push(text)
    else lines.push([text])
    isContinued = text !== line
  }
  return lines.map((parts) => parts.join(''))
}

/** Returns `family;given;additional;prefixes;suffixes` in spoken order. */
function personName(value: string): string {
  const [family = '', given = '', additional = '', prefix = '', suffix = ''] = value
    .split(/(?<!\\);/)
    .map(unescape)
  return [prefix, given, additional, family, suffix].filter((part) => part !== '').join(' ')
}

const unescape = (value: string): string =>
  value.replaceAll(/\\n/gi, ' ').replaceAll(/\\(.)/g, '$1').trim()

/** Decodes quoted-printable text. Returns it unchanged if it is not UTF-8. */
function fromQuotedPrintable(value: string): string {
  try {
    return decodeURIComponent(value.replaceAll('%', '%25').replaceAll(/=([0-9A-F]{2})/gi, '%$1'))
  } catch {
    return value
  }
}
