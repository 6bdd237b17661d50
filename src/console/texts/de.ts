import analytics from './de/analytics.json'
import bot from './de/bot.json'
import campaigns from './de/campaigns.json'
import codes from './de/codes.json'
import contact from './de/contact.json'
import contacts from './de/contacts.json'
import filter from './de/filter.json'
import flow from './de/flow.json'
import hours from './de/hours.json'
import imports from './de/import.json'
import inbox from './de/inbox.json'
import incoming from './de/incoming.json'
import list from './de/list.json'
import number from './de/number.json'
import parts from './de/parts.json'
import queue from './de/queue.json'
import records from './de/records.json'
import roles from './de/roles.json'
import search from './de/search.json'
import settings from './de/settings.json'
import shell from './de/shell.json'
import signIn from './de/sign-in.json'
import server from './de/server.json'
import signup from './de/signup.json'
import templates from './de/templates.json'
import transfers from './de/transfers.json'
import webhooks from './de/webhooks.json'
import welcome from './de/welcome.json'
import wizard from './de/wizard.json'
import content from './de/content.json'
import data from './de/data.json'
import forms from './de/forms.json'

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
