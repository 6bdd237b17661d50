import { Type, type Static } from '@sinclair/typebox'

import { freeObject, nameText, oneOf } from '../../../../lib/fields'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const textOrNull = Type.Union([Type.String(), Type.Null()])
const integerOrNull = Type.Union([Type.Integer(), Type.Null()])

/** Longest text that can be typed, characters. */
const MAX_CONTENT = 100_000

/** How an API context gets its text. */
export const NewApiConfig = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 2_048,
      description: 'A public https URL.',
    }),
    method: Type.Optional(oneOf(['GET', 'POST'], { description: 'Defaults to `GET`.' })),
    headers: Type.Optional(
      freeObject({
        description:
          'Up to 20 headers. Values are write-only: responses show `***`, and `***` keeps the ' +
          'stored value. When `url` changes to another host, send all values again.',
      }),
    ),
    body: Type.Optional(
      Type.Union([Type.String({ maxLength: 16_000 }), Type.Null()], {
        description: 'Body of a `POST`.',
      }),
    ),
    response_path: Type.Optional(
      Type.Union(
        [
          Type.String({ maxLength: 200, pattern: '^[\\w$-]+(?:\\.[\\w$-]+|\\[\\d{1,4}\\])*$' }),
          Type.Null(),
        ],
        {
          description:
            'Part of a JSON answer to use, such as `data.items[0].text`. Without it the whole answer ' +
            'is used.',
        },
      ),
    ),
    cache_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 86_400,
        description: 'How long an answer is reused. Defaults to 300.',
      }),
    ),
  },
  { title: 'AiApiConfigInput' },
)
export type NewApiConfig = Static<typeof NewApiConfig>

const keywords = Type.Array(nameText(64), {
  maxItems: 50,
  description:
    'The context is used only for questions that contain one of these words. Empty: it is always ' +
    'a candidate.',
})

const fields = {
  content: Type.Optional(
    Type.Union([Type.String({ maxLength: MAX_CONTENT }), Type.Null()], {
      description: 'Text of a static context. Replaces a document.',
    }),
  ),
  api_config: Type.Optional(
    Type.Union([NewApiConfig, Type.Null()], { description: 'Required for the type `api`.' }),
  ),
  trigger_keywords: Type.Optional(keywords),
  priority: Type.Optional(
    Type.Integer({
      minimum: -1_000,
      maximum: 1_000,
      description: 'Contexts with a higher priority come first. Defaults to 10.',
    }),
  ),
  enabled: Type.Optional(Type.Boolean({ description: 'Defaults to `true`.' })),
  account_id: Type.Optional(
    Type.Union([Uuid, Type.Null()], {
      description: 'The only phone number that uses the context. `null`: every number.',
    }),
  ),
}

/** A new AI context. */
export const NewAiContext = Type.Object(
  {
    name: nameText(255),
    context_type: Type.Optional(
      oneOf(['static', 'api'], {
        description: 'Cannot be changed later. Defaults to `static`.',
      }),
    ),
    ...fields,
  },
  {
    title: 'AiContextInput',
    examples: [{ name: 'Opening hours', content: 'We are open from Monday to Friday, 9 to 17.' }],
  },
)
export type NewAiContext = Static<typeof NewAiContext>

/** Changes to an AI context. Omitted fields stay as they are. */
export const AiContextChanges = Type.Object(
  { name: Type.Optional(nameText(255)), ...fields },
  { title: 'AiContextChanges', minProperties: 1, examples: [{ enabled: false }] },
)
export type AiContextChanges = Static<typeof AiContextChanges>

/** A document that provides the text of a context. */
const DocumentView = Type.Object(
  {
    filename: textOrNull,
    size_bytes: Type.Integer(),
    state: Type.String({ enum: ['reading', 'ready', 'failed'] }),
    error: Type.Union([Type.String(), Type.Null()], { description: 'Why it could not be read.' }),
    pages: integerOrNull,
    characters: Type.Integer(),
    chunks: Type.Integer({ description: 'Number of parts that are searched.' }),
  },
  { title: 'AiDocument' },
)

const content = Type.Union([Type.String(), Type.Null()], {
  description: '`null` for the types `api` and for documents.',
})

const view = {
  id: Uuid,
  name: Type.String(),
  context_type: Type.String({ enum: ['static', 'api'] }),
  api_config: Type.Union([
    Type.Object({
      url: Type.String(),
      method: Type.String({ enum: ['GET', 'POST'] }),
      headers: Type.Record(Type.String(), Type.String()),
      body: textOrNull,
      response_path: textOrNull,
      cache_seconds: Type.Integer(),
    }),
    Type.Null(),
  ]),
  document: Type.Union([DocumentView, Type.Null()]),
  trigger_keywords: Type.Array(Type.String()),
  priority: Type.Integer(),
  enabled: Type.Boolean(),
  account_id: Type.Union([Uuid, Type.Null()]),
  created_at: Time,
  updated_at: Time,
}

/** An AI context in responses. */
export const AiContextView = Type.Object({ ...view, content }, { title: 'AiContext' })
export type AiContextView = Static<typeof AiContextView>

/** Longest text of a context in a list, characters. */
export const MAX_LISTED_CONTENT = 1_000

/** An AI context in lists. */
export const AiContextItem = Type.Object(
  {
    ...view,
    content: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'As in the context itself. Absent if it is longer than 1,000 characters.',
      }),
    ),
  },
  { title: 'AiContextItem' },
)
export type AiContextItem = Static<typeof AiContextItem>

/** A question for the test of a context. */
export const ContextQuestion = Type.Object(
  { question: Type.Optional(Type.String({ minLength: 1, maxLength: 4_096 })) },
  { title: 'AiContextQuestion', examples: [{ question: 'When are you open?' }] },
)

/** What a context contributes to the answer of a question. */
export const ContextTestView = Type.Object(
  {
    success: Type.Boolean(),
    content: Type.Union([Type.String(), Type.Null()], {
      description: 'The text that the prompt would hold, up to 12,000 characters.',
    }),
    chunks: Type.Array(Type.String(), {
      description: 'The parts of a static context that match the question, best first.',
    }),
    duration_ms: Type.Integer(),
    error: textOrNull,
  },
  { title: 'AiContextTest' },
)
export type ContextTestView = Static<typeof ContextTestView>
