import { Type, type Static } from '@sinclair/typebox'

/** How much of the installation needs an operator. */
export const ServerAttention = Type.Object(
  {
    count: Type.Integer({ description: 'Problems and failed jobs together.' }),
    problems: Type.Integer({ description: 'Findings of `GET /api/admin/health` to mend.' }),
    failed_jobs: Type.Integer({
      description:
        'Jobs of all organizations that were given up after their last attempt, counted up to ' +
        '1,000. Those that a person discarded do not count.',
    }),
  },
  { title: 'ServerAttention' },
)
export type ServerAttention = Static<typeof ServerAttention>
