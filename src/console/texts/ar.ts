import analytics from './ar/analytics.json'
import bot from './ar/bot.json'
import campaigns from './ar/campaigns.json'
import codes from './ar/codes.json'
import contact from './ar/contact.json'
import contacts from './ar/contacts.json'
import filter from './ar/filter.json'
import flow from './ar/flow.json'
import hours from './ar/hours.json'
import imports from './ar/import.json'
import inbox from './ar/inbox.json'
import incoming from './ar/incoming.json'
import list from './ar/list.json'
import number from './ar/number.json'
import parts from './ar/parts.json'
import queue from './ar/queue.json'
import records from './ar/records.json'
import roles from './ar/roles.json'
import search from './ar/search.json'
import settings from './ar/settings.json'
import shell from './ar/shell.json'
import signIn from './ar/sign-in.json'
import server from './ar/server.json'
import signup from './ar/signup.json'
import templates from './ar/templates.json'
import transfers from './ar/transfers.json'
import webhooks from './ar/webhooks.json'
import welcome from './ar/welcome.json'
import wizard from './ar/wizard.json'
import content from './ar/content.json'
import data from './ar/data.json'
import forms from './ar/forms.json'

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
