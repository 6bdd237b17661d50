import analytics from './es/analytics.json'
import bot from './es/bot.json'
import campaigns from './es/campaigns.json'
import codes from './es/codes.json'
import contact from './es/contact.json'
import contacts from './es/contacts.json'
import filter from './es/filter.json'
import flow from './es/flow.json'
import hours from './es/hours.json'
import imports from './es/import.json'
import inbox from './es/inbox.json'
import incoming from './es/incoming.json'
import list from './es/list.json'
import number from './es/number.json'
import parts from './es/parts.json'
import queue from './es/queue.json'
import records from './es/records.json'
import roles from './es/roles.json'
import search from './es/search.json'
import settings from './es/settings.json'
import shell from './es/shell.json'
import signIn from './es/sign-in.json'
import server from './es/server.json'
import signup from './es/signup.json'
import templates from './es/templates.json'
import transfers from './es/transfers.json'
import webhooks from './es/webhooks.json'
import welcome from './es/welcome.json'
import wizard from './es/wizard.json'
import content from './es/content.json'
import data from './es/data.json'
import forms from './es/forms.json'

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
