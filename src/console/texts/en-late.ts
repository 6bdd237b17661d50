import analytics from './en/analytics.json'
import bot from './en/bot.json'
import campaigns from './en/campaigns.json'
import codes from './en/codes.json'
import contacts from './en/contacts.json'
import filter from './en/filter.json'
import flow from './en/flow.json'
import hours from './en/hours.json'
import imports from './en/import.json'
import incoming from './en/incoming.json'
import number from './en/number.json'
import queue from './en/queue.json'
import server from './en/server.json'
import settings from './en/settings.json'
import signup from './en/signup.json'
import templates from './en/templates.json'
import transfers from './en/transfers.json'
import webhooks from './en/webhooks.json'
import welcome from './en/welcome.json'
import wizard from './en/wizard.json'
import content from './en/content.json'
import data from './en/data.json'
import forms from './en/forms.json'

/** English texts of the screens that are loaded when they are opened. */
export const late = {
  ...analytics,
  ...bot,
  ...campaigns,
  ...codes,
  ...contacts,
  ...filter,
  ...flow,
  ...hours,
  ...imports,
  ...incoming,
  ...number,
  ...queue,
  ...server,
  ...settings,
  ...signup,
  ...templates,
  ...transfers,
  ...webhooks,
  ...welcome,
  ...wizard,
  ...content,
  ...data,
  ...forms,
}
