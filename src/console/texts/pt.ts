import analytics from './pt/analytics.json'
import bot from './pt/bot.json'
import campaigns from './pt/campaigns.json'
import codes from './pt/codes.json'
import contact from './pt/contact.json'
import contacts from './pt/contacts.json'
import filter from './pt/filter.json'
import flow from './pt/flow.json'
import hours from './pt/hours.json'
import imports from './pt/import.json'
import inbox from './pt/inbox.json'
import incoming from './pt/incoming.json'
import list from './pt/list.json'
import number from './pt/number.json'
import parts from './pt/parts.json'
import queue from './pt/queue.json'
import records from './pt/records.json'
import roles from './pt/roles.json'
import search from './pt/search.json'
import settings from './pt/settings.json'
import shell from './pt/shell.json'
import signIn from './pt/sign-in.json'
import server from './pt/server.json'
import signup from './pt/signup.json'
import templates from './pt/templates.json'
import transfers from './pt/transfers.json'
import webhooks from './pt/webhooks.json'
import welcome from './pt/welcome.json'
import wizard from './pt/wizard.json'
import content from './pt/content.json'
import data from './pt/data.json'
import forms from './pt/forms.json'

/** Texts in this language. */
export const texts: Record<string, string> = {
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
  ...server,
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
  ...content,
  ...data,
  ...forms,
}
