/** Code, in which nothing is a mark: a block between fences, or a part of a line. */
const CODE = /(```[\s\S]*?```|`[^`\n]+`)/

/** Whether a text is Markdown for certain. In any other, `*word*` is already bold on WhatsApp. */
const IS_MARKDOWN = /\*\*|__|~~|^#{1,6} |\]\(/m

/** Stands for a bold mark until slanted text is found. */
const BOLD = '\0'

/** Characters of an answer that are read: more than twice those of a message. */
const MAX_READ = 10_000

/**
 * Returns a text in which Markdown is written with the marks of WhatsApp: `**bold**` is `*bold*`,
 * `*slanted*` is `_slanted_`, a heading is bold, a link is its text with the address in parentheses.
 * What WhatsApp has no mark for, such as a table, is plain text.
 */
export function withWhatsAppMarks(markdown: string): string {
  const text = markdown.slice(0, MAX_READ).toWellFormed().replaceAll(BOLD, '')
  const slants = IS_MARKDOWN.test(text)
  return text
    .split(CODE)
    .map((part, index) => (index % 2 === 1 ? codeOf(part) : marksOf(part, slants)))
    .join('')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

/** Returns code without the name of its language, which WhatsApp would show. */
const codeOf = (code: string): string => code.replace(/^```[\w+#.-]*\n/, '```\n')

const marksOf = (text: string, slants: boolean): string =>
  inlineOf(text.split('\n').flatMap(lineOf).join('\n'), slants)

/** Returns the lines that a line of Markdown becomes: none for a rule and below a table's head. */
function lineOf(line: string): string[] {
  if (/^\s*(?:[-_*]\s*){3,}$/.test(line)) return []
  if (/^\s*\|.*\|\s*$/.test(line)) return rowOf(line)
  const heading = /^ {0,3}#{1,6}\s+(.*)$/.exec(line)?.[1]
  if (heading !== undefined) {
    const words = heading.replaceAll(/[*_]{2,}|\s+#+\s*$/g, '').trim()
    return words === '' ? [] : [`${BOLD}${words}${BOLD}`]
  }
  return [line.replace(/^(\s*)[*+](?=\s)/, '$1-').replaceAll(/<br\s*\/?>/gi, '\n')]
}

function rowOf(line: string): string[] {
  if (/^[\s|:-]+$/.test(line)) return []
  const cells = line.trim().slice(1, -1).split('|')
  return [cells.map((cell) => cell.trim()).join(' | ')]
}

function inlineOf(text: string, slants: boolean): string {
  const bold = text
    .replaceAll(/!?\[([^\][\n]*)\]\(<?([^\s()<>]+)>?(?:\s[^()\n]*)?\)/g, linkOf)
    .replaceAll(/<(https?:[^\s<>]+)>/g, '$1')
    .replaceAll(/\*{3}(?=\S)([^*\n]*[^\s*])\*{3}/g, `${BOLD}_$1_${BOLD}`)
    .replaceAll(/\*{2}(?=\S)([^*\n]*[^\s*])\*{2}/g, `${BOLD}$1${BOLD}`)
    .replaceAll(
      /(?<![\p{L}\p{N}_])_{2}(?=\S)([^_\n]*[^\s_])_{2}(?![\p{L}\p{N}_])/gu,
      `${BOLD}$1${BOLD}`,
    )
    .replaceAll(/~{2}(?=\S)([^~\n]*[^\s~])~{2}/g, '~$1~')
  const slanted = slants
    ? bold.replaceAll(/(?<![\p{L}\p{N}*\\])\*(?=\S)([^*\n]*[^\s*\\])\*(?![\p{L}\p{N}*])/gu, '_$1_')
    : bold
  return slanted.replaceAll(/\\([*_~`#[\]()>-])/g, '$1').replaceAll(BOLD, '*')
}

const linkOf = (_all: string, words: string, address: string): string =>
  words === '' || words === address ? address : `${words} (${address})`
