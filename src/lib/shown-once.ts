/**
 * Option of a schema: a credential that one answer shows. Such an answer is not compressed, because
 * the length of compressed text tells something about what it says (BREACH, breachattack.com).
 */
export const SHOWN_ONCE = { 'x-shown-once': true } as const
