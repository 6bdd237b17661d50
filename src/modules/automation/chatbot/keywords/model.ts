import { Type, type Static } from '@sinclair/typebox'

import { freeObject, lineText, nameText, oneOf } from '../../../../lib/fields'
import { HoursView, NewHours } from '../../chatbot-settings/hours/model'
import { MATCH_TYPES } from '../bot-flows/table'
import { RuleContent, RESPONSE_TYPES } from './table'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const orNull = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S, description = '') =>
  Type.Union([schema, Type.Null()], description === '' ? {} : { description })

const keyword = lineText(500, {
  description: 'One line of up to 255 characters, regular expressions 500.',
})

const written = {
  name: nameText(255, { description: 'Unique. Defaults to the first keyword.' }),
  keywords: Type.Array(keyword, {
    minItems: 1,
    maxItems: 50,
    description:
      'Words or phrases, or with `regex` patterns in RE2 syntax. Compared after Unicode NFKC, with ' +
      'white space collapsed and, except for patterns, without invisible characters. Those of all rules together have up to 1,000,000 characters.',
  }),
  match_type: oneOf(MATCH_TYPES, {
    description:
      'How a keyword is compared: with the whole message (punctuation at both ends is ignored), ' +
      'anywhere in it, with its beginning, or as a pattern anywhere in its first 1,024 characters. ' +
      'Defaults to `contains`.',
  }),
  case_sensitive: Type.Boolean({ description: 'Defaults to `false`.' }),
  whole_word: Type.Boolean({
    description:
      'Whether no letter, mark or digit may touch the keyword, for `contains` and `starts_with`. ' +
      'Scripts without spaces match anywhere. Defaults to `true`.',
  }),
  response_type: oneOf(RESPONSE_TYPES, { description: 'Defaults to `text`.' }),
  response: orNull(
    Type.String({ minLength: 1, maxLength: 4_096 }),
    'Text or caption, a Liquid template. Up to 1,024 characters with buttons or media.',
  ),
  // Read by the verb: Elysia would take a text for an object whose fields are all optional.
  response_content: freeObject({
    properties: RuleContent.properties,
    description: 'What is sent beside the text. Which fields count depends on `response_type`.',
  }),
  priority: Type.Integer({
    minimum: -1_000,
    maximum: 1_000,
    description: 'Higher first. Defaults to `10`.',
  }),
  enabled: Type.Boolean({ description: 'Defaults to `true`.' }),
  account_id: orNull(Uuid, 'The phone number it works on. `null` = all of them.'),
  active_from: orNull(Time, 'When it begins to work.'),
  active_until: orNull(Time, 'When it ends to work; after `active_from`.'),
  active_hours: NewHours,
  interrupts_flow: Type.Boolean({
    description: 'Whether it answers in the middle of a flow, which goes on. Defaults to `false`.',
  }),
}

const title = 'KeywordRule'
const EXAMPLE = {
  name: 'Opening hours',
  keywords: ['opening hours', 'open today'],
  response: 'We are open from 9 to 17.',
}

/** Body of a new keyword rule. */
export const NewKeywordRule = Type.Composite(
  [
    Type.Pick(Type.Object(written), ['keywords']),
    Type.Partial(Type.Omit(Type.Object(written), ['keywords'])),
  ],
  { title: 'KeywordRuleInput', examples: [EXAMPLE] },
)
export type NewKeywordRule = Static<typeof NewKeywordRule>

export const KeywordRuleChanges = Type.Partial(Type.Object(written), {
  title: 'KeywordRuleChanges',
  minProperties: 1,
  examples: [{ enabled: false }],
})
export type KeywordRuleChanges = Static<typeof KeywordRuleChanges>

/** A keyword rule in API responses. */
export const KeywordRuleView = Type.Object(
  {
    ...written,
    id: Uuid,
    name: Type.String(),
    keywords: Type.Array(Type.String()),
    response: orNull(Type.String()),
    response_content: Type.Record(Type.String(), Type.Unknown()),
    active_hours: HoursView,
    hit_count: Type.Integer({ description: 'Number of answers.' }),
    last_hit_at: orNull(Time),
    created_at: Time,
    updated_at: Time,
    warnings: Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
      description:
        'Keywords that opt customers out or in, so that they get no answer alone; what `params` ' +
        'lack, so that the template is not sent; `active_hours` without a minute.',
    }),
  },
  { title },
)
export type KeywordRuleView = Static<typeof KeywordRuleView>

/** A message to test. */
export const KeywordTest = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: 4_096 }),
    account_id: Type.Optional(orNull(Uuid, 'The phone number that received it.')),
    at: Type.Optional(Type.String({ format: 'date-time', description: 'Defaults to now.' })),
  },
  { title: 'KeywordTest', examples: [{ text: 'Are you open today?' }] },
)
export type KeywordTest = Static<typeof KeywordTest>

const Match = Type.Object({
  id: Uuid,
  name: Type.String(),
  keyword: Type.String(),
  priority: Type.Integer(),
})

/** The rules that match a message. */
export const KeywordTestResult = Type.Object(
  {
    matches: Type.Array(Match, { description: 'Best first.' }),
    winner: orNull(Match),
    skipped: Type.Array(Type.Object({ id: Uuid, name: Type.String() }), {
      description: 'Rules whose patterns were not tried because the time was used up.',
    }),
  },
  { title: 'KeywordTestResult' },
)
export type KeywordTestResult = Static<typeof KeywordTestResult>
