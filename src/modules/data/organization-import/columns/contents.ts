import { Type, type TSchema } from '@sinclair/typebox'

import { oneOf, patternText } from '../../../../lib/fields'
import { WidgetView } from '../../../insight/analytics/boards/model'
import { ScheduledReportView } from '../../../insight/analytics/scheduled/model'
import { CampaignView } from '../../../outreach/campaigns/model'
import { CannedButtons } from '../../../inbox/canned-responses/table'
import { ChatbotSettingsView } from '../../../automation/chatbot-settings/model'
import { Keywords, StoredSettings } from '../../../automation/chatbot/bot-flows/table'
import { KeywordRuleView } from '../../../automation/chatbot/keywords/model'
import { StoredConfig } from '../../../automation/custom-actions/table'
import { ConsentSettings } from '../../../inbox/contacts/consent/model'
import { IDENTITY_KINDS } from '../../../inbox/contacts/table'
import { NewApiConfig } from '../../../automation/ai/contexts/model'
import { NewMessage } from '../../../inbox/messages/compose/model'
import { FallbackTemplate } from '../../../inbox/scheduled-messages/model'
import { FlowView } from '../../../channel/flows/model'
import { OrderView } from '../../../inbox/orders/model'
import { NewEndpoint } from '../../../delivery/webhooks/model'
import { DOCUMENT_LENGTH, jsonRule, numberRule, textRule, type ColumnRule } from './rule'
import {
  anObject,
  codedError,
  columnName,
  columnValues,
  listOf,
  manyIds,
  numberOrNull,
  objects,
  orNull,
  texts,
  textOrNull,
  timeInJson,
} from './shapes'

const document = jsonRule(anObject, DOCUMENT_LENGTH)
const documentList = jsonRule(objects)
const object = jsonRule(anObject)
const words = jsonRule(texts)

/** Texts that are sent in headers of a file. */
const mimeType = textRule(
  patternText('^[\\x20-\\x7e]{1,255}$', 'must be a MIME type', { maxLength: 255 }),
)
const sha256 = textRule(patternText('^[0-9a-f]{64}$', 'must be a SHA-256 in hex'))

const consent = ConsentSettings.properties
const api = NewApiConfig.properties

/** Returns the schema of a field that requests may leave out, and rows never do. */
const always = (schema: TSchema): TSchema => Type.Optional(schema, false)

/** A word as it is stored: one character becomes up to 18. */
const foldedWord = Type.String({ maxLength: 64 * 18 })

const actor = jsonRule(Type.Object({ userId: textOrNull, apiKeyId: textOrNull }))
const referral = jsonRule(Type.Object({ at_ms: timeInJson, referral: anObject }))
const sendError = Type.Object({
  code: Type.String(),
  message: Type.String(),
  platform_code: Type.Optional(numberOrNull),
  details: Type.Optional(textOrNull),
  retryable: Type.Optional(Type.Boolean()),
})
const faults = jsonRule(
  listOf(
    Type.Object({
      code: numberOrNull,
      title: textOrNull,
      message: textOrNull,
      details: textOrNull,
    }),
  ),
)
const idOrNull = orNull(Type.String({ format: 'uuid' }))
/** Files that were fetched for a scheduled message. */
const storedIds = Type.Object({ header: idOrNull, cards: listOf(idOrNull) })
const endpointConfig = Type.Object({
  rules: Type.Optional(Type.Unknown()),
  url: Type.Optional(Type.String()),
  headers: Type.Optional(texts),
})

const contactUndo = Type.Object({
  fields: listOf(Type.Tuple([columnName, Type.Unknown(), Type.Unknown()])),
  identities: listOf(Type.Object({ kind: oneOf(IDENTITY_KINDS), value: Type.String() })),
  tags: texts,
  consents: texts,
  consent: textOrNull,
})
const mergeUndo = Type.Object({
  contact: contactUndo,
  notes: manyIds,
  calls: manyIds,
  moved: texts,
  joined: listOf(
    Type.Object({ row: anObject, into: Type.String(), messageIds: manyIds, thread: anObject }),
  ),
})
/** What a merge stores once it was undone. */
const nothing = Type.Object({}, { additionalProperties: false })
/** Settings as they are stored: who confirmed the terms, and when, is not stored as it is shown. */
const chatbotFields = Type.Partial(
  Type.Object({
    ...ChatbotSettingsView.properties,
    ai_data_terms: orNull(Type.Object({ at: Type.String(), by: textOrNull })),
  }),
)
const importUndo = Type.Union([
  Type.Object({
    isNew: Type.Boolean(),
    fields: columnValues,
    identities: listOf(Type.Object({ kind: oneOf(IDENTITY_KINDS), value: Type.String() })),
    atMs: timeInJson,
    tags: texts,
    addedTags: texts,
    consent: textOrNull,
  }),
  Type.Object({
    atMs: timeInJson,
    former: orNull(Type.Object({ name: Type.String(), color: Type.Unknown() })),
    isNew: Type.Optional(Type.Never()),
  }),
])

const graph = Type.Object({
  version: Type.Number(),
  entry_node: textOrNull,
  nodes: listOf(Type.Object({ id: Type.String(), type: Type.String(), config: anObject })),
  edges: listOf(Type.Object({ from: Type.String(), to: Type.String(), condition: Type.String() })),
})

/** Months of days are added up, and the sum must be exact. */
const ofADay = numberRule(
  Type.Integer({ minimum: 0, maximum: 10 ** 12, error: 'must be an integer between 0 and 10^12' }),
)

/** Columns of the things that people work with, most of them JSON. */
export const CONTENT_RULES: Record<string, Record<string, ColumnRule>> = {
  ai_days: {
    requests: ofADay,
    failed: ofADay,
    handovers: ofADay,
    input_tokens: ofADay,
    output_tokens: ofADay,
    cost_micros: ofADay,
    unpriced: ofADay,
    reserved_tokens: ofADay,
    reserved_micros: ofADay,
  },
  ai_contexts: {
    api_config: jsonRule(
      Type.Object({
        url: api.url,
        method: always(api.method),
        headers: texts,
        body: always(api.body),
        response_path: always(api.response_path),
        cache_seconds: always(api.cache_seconds),
      }),
    ),
    trigger_keywords: jsonRule(Type.Array(foldedWord, { maxItems: 50 })),
  },
  audit_logs: { changes: jsonRule(listOf(Type.Object({ field: Type.String() })), DOCUMENT_LENGTH) },
  boards: {
    widgets: jsonRule(
      listOf(
        Type.Composite([
          Type.Omit(WidgetView, ['problem', 'size']),
          Type.Partial(Type.Pick(WidgetView, ['size'])), // boards of earlier versions have none
        ]),
      ),
    ),
  },
  bot_flow_versions: { graph: jsonRule(graph, DOCUMENT_LENGTH) },
  bot_flows: {
    trigger_keywords: jsonRule(Keywords),
    settings: jsonRule(StoredSettings),
  },
  bot_sessions: { variables: object, state: object },
  bot_trace: { sent_message_ids: words },
  calls: { error: jsonRule(Type.Object({ code: numberOrNull, message: textOrNull })) },
  campaign_recipients: { params: object, error: jsonRule(sendError) },
  campaigns: {
    audience: jsonRule(CampaignView.properties.audience),
    variable_mapping: object,
    default_params: object,
    actor,
  },
  canned_responses: { buttons: jsonRule(CannedButtons) },
  chatbot_settings: { fields: jsonRule(chatbotFields) },
  consent_settings: {
    opt_out_keywords: jsonRule(consent.opt_out_keywords),
    opt_in_keywords: jsonRule(consent.opt_in_keywords),
    opt_out_reply: textRule(consent.opt_out_reply),
    opt_in_reply: textRule(consent.opt_in_reply),
  },
  contact_merges: { undo: jsonRule(Type.Union([mergeUndo, nothing]), DOCUMENT_LENGTH) },
  contacts: { metadata: object, attributes: object },
  conversations: { first_referral: referral, last_referral: referral, unpublished: words },
  custom_actions: { config: jsonRule(StoredConfig) },
  flow_responses: { data: object },
  flows: {
    categories: words,
    definition: document,
    endpoint_config: jsonRule(endpointConfig),
    validation_errors: jsonRule(FlowView.properties.validation_errors),
    health: jsonRule(FlowView.properties.health),
    alerts: jsonRule(
      Type.Record(
        Type.String(),
        Type.Object({ is_active: Type.Boolean(), message: Type.String() }),
      ),
    ),
  },
  import_rows: {
    errors: jsonRule(
      listOf(Type.Object({ column: textOrNull, message: Type.String(), value: textOrNull })),
    ),
    former: jsonRule(importUndo),
  },
  imports: {
    options: jsonRule(
      Type.Object({
        columns: listOf(Type.Object({ header: Type.String(), key: textOrNull })),
        updatesDuplicates: Type.Boolean(),
        defaultCountry: textOrNull,
        tagIds: texts,
      }),
    ),
    error: jsonRule(codedError),
    actor,
  },
  keyword_rules: {
    priority: numberRule(KeywordRuleView.properties.priority),
    response_content: object,
    active_hours: jsonRule(KeywordRuleView.properties.active_hours),
  },
  media: { last_error: jsonRule(codedError), mime_type: mimeType, sha256 },
  message_reactions: { former: object },
  message_revisions: { content: document, raw: document },
  message_statuses: { errors: faults, pricing: object },
  messages: {
    content: document,
    send_options: document,
    context: document,
    referral: document,
    raw: document,
    warnings: words,
    error: jsonRule(sendError),
    pricing: object,
  },
  notes: { mentions: words },
  organization_branding: { mime_type: mimeType, sha256 },
  orders: { items: jsonRule(OrderView.properties.items) },
  privacy_requests: {
    counts: jsonRule(Type.Record(Type.String(), Type.Integer(), { additionalProperties: false })),
  },
  scheduled_messages: {
    message: jsonRule(NewMessage),
    fallback_template: jsonRule(FallbackTemplate),
    stored_files: jsonRule(Type.Object({ message: storedIds, fallback: storedIds })),
    error: jsonRule(codedError),
  },
  scheduled_reports: { reports: jsonRule(ScheduledReportView.properties.reports) },
  segments: { filter: object },
  templates: {
    components: documentList,
    published_components: documentList,
    edits: jsonRule(listOf(timeInJson)),
  },
  timeline_entries: { details: object },
  transfer_changes: { details: object },
  transfers: { passed_over: words },
  views: { filter: object },
  webhook_attempts: {
    response_headers: jsonRule(
      Type.Record(Type.String(), Type.String(), { additionalProperties: false }),
    ),
  },
  webhook_endpoints: {
    events: jsonRule(NewEndpoint.properties.events),
    past_events: words,
    account_ids: words,
    header_names: words,
  },
  webhook_payloads: { body: document },
  webhook_replays: { events: words },
}
