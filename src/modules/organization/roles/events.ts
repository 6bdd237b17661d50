import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../../infra/outbox/events'

/** The name or the permissions of a role changed, and with them what its members may do. */
export const RoleChanged = defineEvent('role.changed', Type.Object({ roleId: Type.String() }))
