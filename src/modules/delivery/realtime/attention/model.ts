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

/** Long work of the installation of which something is to be told. */
export const SERVER_WORK = ['backups', 'archives', 'imports', 'moves', 'organizations'] as const

/** Long work of the installation went on. */
export const ServerWork = Type.Object(
  {
    changed: Type.Array(Type.String({ enum: [...SERVER_WORK] }), {
      description: 'Of what the present state is to be read again.',
    }),
  },
  { title: 'ServerWork' },
)
