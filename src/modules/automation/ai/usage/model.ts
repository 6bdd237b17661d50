import { Type, type Static } from '@sinclair/typebox'

const integerOrNull = Type.Union([Type.Integer(), Type.Null()])
const cost = Type.Union([Type.Number(), Type.Null()], {
  description: 'US dollars, from the prices in the settings. `null` if a price is missing.',
})

/** Usage of AI in responses. */
export const UsageReport = Type.Object(
  {
    total_requests: Type.Integer(),
    input_tokens: Type.Integer(),
    output_tokens: Type.Integer(),
    total_tokens: Type.Integer(),
    estimated_cost: cost,
    budget: Type.Object({
      daily: integerOrNull,
      monthly: integerOrNull,
      used_today: Type.Integer({ description: 'Tokens of both directions.' }),
      used_this_month: Type.Integer(),
    }),
    by_day: Type.Array(
      Type.Object({
        date: Type.String({ description: 'Local date, `YYYY-MM-DD`.' }),
        requests: Type.Integer(),
        failed: Type.Integer(),
        input_tokens: Type.Integer(),
        output_tokens: Type.Integer(),
        total_tokens: Type.Integer(),
        estimated_cost: cost,
      }),
      { description: 'Days on which AI was used, oldest first.' },
    ),
  },
  { title: 'AiUsage' },
)
export type UsageReport = Static<typeof UsageReport>
