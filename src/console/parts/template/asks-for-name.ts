/** The words for the name of a person, in the languages of the console. */
const NAME =
  /^(?:(?:customer|client|contact|user|first|last|full|your)[\s_-]*)?name$|^(?:customer|client|kunde|kundin|vorname|nachname|nombre|cliente|nome|الاسم|اسم(?: العميل)?)$/i
/** A greeting at the end of what stands before a value. */
const GREETING =
  /(?:^|[^\p{L}])(?:hi|hello|hey|dear|hallo|liebe[rs]?|hola|estimad[oa]|olá|oi|caro|cara|مرحبا|مرحبًا|عزيزي|عزيزتي)[\s,*_]*$/iu

/**
 * Whether a value of a template is the name of the customer: its key or its example says so, or it
 * follows a greeting, since numbered values have no names.
 */
export function asksForName(
  { key, example }: { key: string; example: string | null },
  body: string,
): boolean {
  if (NAME.test(key) || NAME.test(example?.trim() ?? '')) return true
  if (!/^\d+$/.test(key)) return false
  const before = new RegExp(`^([^]*?)\\{\\{\\s*${key}\\s*\\}\\}`).exec(body)?.[1]
  return before !== undefined && GREETING.test(before)
}
