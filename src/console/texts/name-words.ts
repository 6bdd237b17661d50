/** Returns a technical name, such as that of a template or field, as words. */
export function wordsOfName(name: string): string {
  const words = name.replaceAll('_', ' ').trim()
  return words === '' ? name : `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
