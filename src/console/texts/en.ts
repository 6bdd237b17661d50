import contact from './en/contact.json'
import inbox from './en/inbox.json'
import list from './en/list.json'
import parts from './en/parts.json'
import records from './en/records.json'
import roles from './en/roles.json'
import search from './en/search.json'
import shell from './en/shell.json'
import signIn from './en/sign-in.json'

/** English texts, the source of all others: what the first pages show. */
export const en = {
  ...parts,
  ...shell,
  ...signIn,
  ...inbox,
  ...list,
  ...records,
  ...roles,
  ...search,
  ...contact,
}
