/** A text without case and accents, for comparing, sorting and searching names: `Zoë ÅNGSTRÖM` becomes `zoe angstrom`. */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .trim()
}
