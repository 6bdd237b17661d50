import inbox from './en/inbox.json'
import parts from './en/parts.json'
import shell from './en/shell.json'
import signIn from './en/sign-in.json'

/** English texts, the source of all others. */
export const en = { ...parts, ...shell, ...signIn, ...inbox }
