import { Type, type Static } from '@sinclair/typebox'

const Uuid = Type.String({ format: 'uuid' })

/** An active member as every other member may see it. */
export const ColleagueView = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'User ID.' }),
    full_name: Type.String(),
    is_available: Type.Boolean({ description: 'Whether the member accepts new work.' }),
    role_name: Type.String(),
    teams: Type.Array(Type.Object({ id: Uuid, name: Type.String() }), {
      description: 'The active teams of the member, by name.',
    }),
  },
  { title: 'Colleague' },
)
export type ColleagueView = Static<typeof ColleagueView>
