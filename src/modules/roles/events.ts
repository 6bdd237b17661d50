import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../infra/outbox/events'

/**
 * A role got another name or other permissions; what its members may do is different from now on.
 */
export const RoleChanged = defineEvent('role.changed', Type.Object({ roleId: Type.String() }))
