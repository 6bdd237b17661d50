import { Type, type SchemaOptions, type Static, type TSchema } from '@sinclair/typebox'

import { freeObject, nameText, oneOf } from '../../../../lib/fields'
import {
  Keywords,
  MATCH_TYPES,
  METHODS,
  PanelConfig,
  PanelField,
  PanelSection,
  StoredSettings,
} from './table'

/** A button or a row of a list. */
export interface Choice {
  id: string
  title: string
}

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const orNull = <S extends TSchema>(schema: S, options: SchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options)
const textOrNull = orNull(Type.String())
/** A field that may be left out, with what is told of it. */
const optional = <S extends TSchema>(schema: S, description: string) =>
  Type.Optional({ ...schema, description })

const { completion, ...settings } = StoredSettings.properties
const [{ properties: request }] = completion.anyOf

/** A panel in requests. */
const NewPanelConfig = Type.Object(
  {
    sections: Type.Array(
      Type.Object({
        ...PanelSection.properties,
        columns: optional(PanelSection.properties.columns, 'Defaults to 1.'),
        collapsible: optional(PanelSection.properties.collapsible, 'Defaults to `false`.'),
        default_collapsed: optional(
          PanelSection.properties.default_collapsed,
          'Defaults to `false`.',
        ),
        order: optional(PanelSection.properties.order, 'Defaults to its position.'),
        fields: Type.Array(
          Type.Object({
            ...PanelField.properties,
            order: optional(PanelField.properties.order, 'Defaults to its position.'),
            display_type: optional(PanelField.properties.display_type, 'Defaults to `text`.'),
          }),
          { maxItems: 50 },
        ),
      }),
      { maxItems: 20 },
    ),
  },
  { title: 'BotFlowPanelInput' },
)
export type NewPanelConfig = Static<typeof NewPanelConfig>

/** The request of a flow that completes, as requests write it. */
export const CompletionConfig = Type.Object(
  {
    url: { ...request.url, description: 'Template. Values are percent-encoded.' },
    method: optional(request.method, 'Defaults to `POST`.'),
    headers: Type.Optional(
      freeObject({
        description:
          'Header values by name: templates, stored encrypted and read as `***`. Send `***` to keep ' +
          'a value. When `url` changes to another host, send all values again. With headers, the ' +
          'host has no placeholders.',
      }),
    ),
    body: optional(
      request.body,
      'Template. Values are escaped for JSON. `null` sends the session.',
    ),
  },
  { title: 'BotFlowCompletion' },
)
export type CompletionConfig = Static<typeof CompletionConfig>

const graph = freeObject({
  description:
    '`{version: 2, entry_node, nodes[{id, type, label, position {x, y}, config}], edges[{from, to, ' +
    'condition}]}`: up to 200 nodes, 600 edges and 256 KiB. The page on bots describes the node ' +
    'types. Values of `headers` are stored encrypted and read as `***`.',
})

const common = {
  description: Type.Optional(orNull(Type.String({ maxLength: 4_096 }))),
  account_id: Type.Optional(
    orNull(Uuid, { description: 'The phone number it works on; `null` for all of them.' }),
  ),
  trigger_keywords: optional(
    Keywords,
    'Words that begin the flow: up to 255 characters each, patterns up to 500.',
  ),
  trigger_match_type: Type.Optional(
    oneOf(MATCH_TYPES, { description: 'Defaults to `contains`, as whole words.' }),
  ),
  priority: Type.Optional(
    Type.Integer({ minimum: -1_000, maximum: 1_000, description: 'Higher first. Defaults to 10.' }),
  ),
  enabled: Type.Optional(Type.Boolean({ description: 'Defaults to `false`.' })),
  publish: Type.Optional(
    Type.Boolean({
      description:
        'Whether `graph` takes effect now or is kept as a draft. Defaults to `true` for an enabled ' +
        'flow, otherwise to `false`.',
    }),
  ),
  initial_message: optional(settings.initialMessage, 'Sent before the first node.'),
  completion_message: optional(settings.completionMessage, 'Sent when a session completes.'),
  on_complete_action: optional(settings.onCompleteAction, '`webhook` needs `completion_config`.'),
  completion_config: Type.Optional(orNull(CompletionConfig)),
  cancel_keywords: optional(
    settings.cancelKeywords,
    'Messages that end the session, beside our words in the languages of ' +
      '`person_words_languages` of the settings. Defaults to cancel, stop, exit. `[]` = none, ' +
      'ours neither.',
  ),
  cancel_message: optional(settings.cancelMessage, 'Sent when the customer cancels.'),
  timeout_minutes: optional(
    settings.timeoutMinutes,
    '`null` follows the session timeout of the settings.',
  ),
  timeout_message: optional(
    settings.timeoutMessage,
    'Sent when the customer does not answer in time.',
  ),
  panel_config: Type.Optional(orNull(NewPanelConfig)),
}

const EXAMPLE = {
  name: 'Callback',
  trigger_keywords: ['call me'],
  enabled: true,
  graph: {
    version: 2,
    entry_node: 'ask',
    nodes: [
      {
        id: 'ask',
        type: 'prompt',
        config: { body: 'When may we call you?', store_as: 'time' },
      },
      { id: 'thanks', type: 'end', config: { message: 'We call you: {{ time }}.' } },
    ],
    edges: [{ from: 'ask', to: 'thanks' }],
  },
}

/** A new bot flow. */
export const NewBotFlow = Type.Object(
  { name: nameText(255), graph: Type.Optional(graph), ...common },
  { title: 'BotFlowInput', examples: [EXAMPLE] },
)
export type NewBotFlow = Static<typeof NewBotFlow>

/** Changes to a bot flow. Omitted fields stay as they are. */
export const BotFlowChanges = Type.Object(
  { name: Type.Optional(nameText(255)), graph: Type.Optional(graph), ...common },
  { title: 'BotFlowChanges', minProperties: 1, examples: [{ priority: 20 }] },
)
export type BotFlowChanges = Static<typeof BotFlowChanges>

/** The name of a copy. */
export const BotFlowCopy = Type.Object(
  { name: Type.Optional(nameText(255, { description: 'Defaults to the name with a number.' })) },
  { title: 'BotFlowCopy', examples: [{ name: 'Callback at night' }] },
)

/** A graph to check. */
export const GraphToValidate = Type.Object(
  { graph },
  { title: 'GraphToValidate', examples: [{ graph: EXAMPLE.graph }] },
)

const Problem = Type.Object({ path: Type.String(), message: Type.String() })
const version = orNull(Type.Integer(), {
  description: 'The newest published version; `null` before the first.',
})

/** A bot flow in lists. */
const summary = {
  id: Uuid,
  name: Type.String(),
  description: textOrNull,
  trigger_keywords: Type.Array(Type.String()),
  enabled: Type.Boolean(),
  version,
  has_draft: Type.Boolean({ description: 'Whether there is a graph that is not published.' }),
  account_id: orNull(Uuid),
  updated_at: Time,
}
export const BotFlowSummary = Type.Object(summary, { title: 'BotFlowSummary' })
export type BotFlowSummary = Static<typeof BotFlowSummary>

/** A bot flow in API responses. */
export const BotFlowView = Type.Object(
  {
    ...summary,
    trigger_match_type: Type.String({ enum: [...MATCH_TYPES] }),
    priority: Type.Integer(),
    initial_message: textOrNull,
    completion_message: textOrNull,
    on_complete_action: Type.String({ enum: ['none', 'webhook'] }),
    completion_config: orNull(
      Type.Object({
        url: Type.String(),
        method: Type.String({ enum: [...METHODS] }),
        headers: Type.Record(Type.String(), Type.String(), { description: '`***` for each.' }),
        body: textOrNull,
      }),
    ),
    cancel_keywords: Type.Array(Type.String()),
    cancel_message: textOrNull,
    timeout_minutes: orNull(Type.Integer()),
    timeout_message: textOrNull,
    panel_config: orNull(PanelConfig),
    graph: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The draft, or the newest published version if there is no draft.',
    }),
    warnings: Type.Array(Problem, {
      description:
        'Problems of the draft. They are errors when it is published. For a graph without problems, ' +
        'outcomes after which the flow ends because no edge follows, and what nodes will not be able ' +
        'to do: send a template whose parameters are missing, write an unknown custom field. Also ' +
        'words that begin another enabled flow.',
    }),
    created_by: orNull(Uuid),
    created_at: Time,
  },
  { title: 'BotFlow' },
)
export type BotFlowView = Static<typeof BotFlowView>

/** A published version of a bot flow in lists. */
const versionFields = {
  version: Type.Integer(),
  published_at: Time,
  published_by: orNull(Uuid),
  published_by_name: textOrNull,
}
export const BotFlowVersionSummary = Type.Object(versionFields, { title: 'BotFlowVersionSummary' })
export type BotFlowVersionSummary = Static<typeof BotFlowVersionSummary>

/** A published version of a bot flow with its graph. */
export const BotFlowVersionView = Type.Object(
  { ...versionFields, graph: Type.Record(Type.String(), Type.Unknown()) },
  { title: 'PublishedBotFlow' },
)
export type BotFlowVersionView = Static<typeof BotFlowVersionView>

/** The result of checking a graph. */
export const GraphCheck = Type.Object(
  {
    valid: Type.Boolean(),
    errors: Type.Array(Problem),
    warnings: Type.Array(Problem, {
      description:
        'Outcomes after which the flow ends because no edge follows, and what nodes will not be able ' +
        'to do.',
    }),
  },
  { title: 'GraphCheck' },
)
export type GraphCheck = Static<typeof GraphCheck>
