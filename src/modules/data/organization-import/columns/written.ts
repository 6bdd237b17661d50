import { Type } from '@sinclair/typebox'

import { checkedText, nameText, patternText } from '../../../../lib/fields'
import { NewAiContext } from '../../../automation/ai/contexts/model'
import { MAX_QUESTION } from '../../../automation/ai/questions/model'
import { NewCampaign } from '../../../outreach/campaigns/draft/model'
import { NewCannedResponse } from '../../../inbox/canned-responses/model'
import { NewBotFlow } from '../../../automation/chatbot/bot-flows/model'
import { NewKeywordRule } from '../../../automation/chatbot/keywords/model'
import { NewAttribute } from '../../../inbox/contacts/attributes/model'
import { NewNote } from '../../../inbox/contacts/notes/model'
import { NewCustomAction } from '../../../automation/custom-actions/model'
import { NewSegment } from '../../../outreach/segments/model'
import { NewTag } from '../../../inbox/tags/model'
import { NewTeam } from '../../../inbox/teams/model'
import { NewView } from '../../../inbox/views/model'
import { NewEndpoint } from '../../../delivery/webhooks/model'
import { Accent } from '../../../channel/media/branding/model'
import { NewScheduledReport } from '../../../insight/analytics/scheduled/model'
import { NewConsent } from '../../../inbox/contacts/consent/model'
import { byField } from '../../../inbox/contacts/plain-fields'
import { NewTransfer } from '../../../automation/transfers/model'
import { SettingsChanges } from '../../../organization/organizations/model'
import { jsonRule, numberRule, textRule, type ColumnRule } from './rule'

const action = NewCustomAction.properties
const attribute = NewAttribute.properties
const campaign = NewCampaign.properties
const canned = NewCannedResponse.properties
const context = NewAiContext.properties
const endpoint = NewEndpoint.properties
const flow = NewBotFlow.properties
const rule = NewKeywordRule.properties
const segment = NewSegment.properties
const team = NewTeam.properties

/** Characters of a number or an id by which the platform knows a person. */
const MAX_IDENTITY = 255

/** A path in the web client, never an address of elsewhere or a script. */
const ownPath = textRule(
  patternText('^/(?![/\\\\])[\\x21-\\x7e]*$', 'must be a path of this server', {
    maxLength: 2_048,
  }),
)

/** A file name as `safeFilename` leaves it: no path. */
const filename = textRule(
  checkedText('stored-filename', (name) => !/[/\\\0]/.test(name), 'must be a file name', {
    maxLength: 1_000,
  }),
)

const questionText = Type.String({ maxLength: MAX_QUESTION })

/** Texts that people write, with the limits that the API has for them. */
export const WRITTEN_RULES: Record<string, Record<string, ColumnRule>> = {
  ai_contexts: {
    name: textRule(context.name),
    content: textRule(context.content),
    priority: numberRule(context.priority),
  },
  ai_questions: { key: textRule(questionText), text: textRule(questionText) },
  bot_flows: {
    name: textRule(flow.name),
    description: textRule(flow.description),
    priority: numberRule(flow.priority),
  },
  campaigns: {
    name: textRule(campaign.name),
    timezone: textRule(SettingsChanges.properties.timezone),
    send_window: jsonRule(campaign.send_window),
    rate_limit: numberRule(campaign.rate_limit),
  },
  canned_responses: {
    name: textRule(canned.name),
    content: textRule(canned.content),
    shortcut: textRule(canned.shortcut),
    category: textRule(canned.category),
  },
  contact_attributes: {
    key: textRule(attribute.key),
    label: textRule(attribute.label),
    options: jsonRule(attribute.options),
  },
  contact_consents: { evidence: textRule(NewConsent.properties.evidence) },
  contact_identities: { value: textRule(null, MAX_IDENTITY) },
  contacts: {
    ...byField(({ schema }) => textRule(schema)),
    phone_number: textRule(null, MAX_IDENTITY),
    user_id: textRule(null, MAX_IDENTITY),
  },
  custom_actions: {
    name: textRule(action.name),
    icon: textRule(action.icon),
    display_order: numberRule(action.display_order),
  },
  flows: { name: textRule(nameText(200)) },
  imports: { filename },
  keyword_rules: {
    name: textRule(rule.name),
    keywords: jsonRule(rule.keywords),
    response: textRule(rule.response),
  },
  media: { filename },
  notes: { content: textRule(NewNote.properties.content) },
  notifications: {
    title: textRule(Type.String({ maxLength: 1_000 })),
    body: textRule(Type.String({ maxLength: 10_000 })),
    link: ownPath,
  },
  organization_branding: { accent: textRule(Accent), logo_name: filename },
  scheduled_reports: { at: textRule(NewScheduledReport.properties.at) },
  segments: { name: textRule(segment.name), description: textRule(segment.description) },
  tags: { name: textRule(NewTag.properties.name) },
  teams: { name: textRule(team.name), description: textRule(team.description) },
  templates: {
    name: textRule(
      patternText('^[a-z0-9_]{1,512}$', 'must be small letters, digits and _', { maxLength: 512 }),
    ),
    // Synced templates have more languages than those that can be chosen, such as es_SPA.
    language: textRule(
      patternText('^[A-Za-z]{2,8}(?:[_-][A-Za-z0-9]{2,8}){0,2}$', 'must be a language', {
        maxLength: 20,
      }),
    ),
    display_name: textRule(Type.String({ minLength: 1, maxLength: 512 })),
  },
  transfers: { notes: textRule(NewTransfer.properties.notes) },
  views: { name: textRule(NewView.properties.name) },
  webhook_endpoints: {
    name: textRule(endpoint.name),
    concurrency: numberRule(endpoint.concurrency),
    rate_per_second: numberRule(endpoint.rate_per_second),
  },
}
