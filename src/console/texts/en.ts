import analytics from './en/analytics.json'
import bot from './en/bot.json'
import campaigns from './en/campaigns.json'
import codes from './en/codes.json'
import contact from './en/contact.json'
import contacts from './en/contacts.json'
import filter from './en/filter.json'
import flow from './en/flow.json'
import hours from './en/hours.json'
import imports from './en/import.json'
import inbox from './en/inbox.json'
import incoming from './en/incoming.json'
import list from './en/list.json'
import number from './en/number.json'
import parts from './en/parts.json'
import queue from './en/queue.json'
import records from './en/records.json'
import roles from './en/roles.json'
import search from './en/search.json'
import settings from './en/settings.json'
import shell from './en/shell.json'
import signIn from './en/sign-in.json'
import signup from './en/signup.json'
import templates from './en/templates.json'
import transfers from './en/transfers.json'
import webhooks from './en/webhooks.json'
import welcome from './en/welcome.json'
import wizard from './en/wizard.json'

/** English texts, the source of all others. */
export const en = {
  ...parts,
  ...shell,
  ...signIn,
  ...hours,
  ...imports,
  ...inbox,
  ...filter,
  ...list,
  ...number,
  ...records,
  ...roles,
  ...settings,
  ...webhooks,
  ...incoming,
  ...queue,
  ...signup,
  ...transfers,
  ...welcome,
  ...wizard,
  ...search,
  ...codes,
  ...contact,
  ...contacts,
  ...templates,
  ...campaigns,
  ...analytics,
  ...bot,
  ...flow,
}
