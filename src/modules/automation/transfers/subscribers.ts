import { subscribe } from '../../../infra/outbox/subscribe'
import { PermissionsChanged } from '../../organization/memberships/events'
import { RoleChanged } from '../../organization/roles/events'
import { CheckRights, CheckRole } from './jobs'

export const transferSubscribers = [
  subscribe(PermissionsChanged, CheckRights),
  subscribe(RoleChanged, CheckRole),
]
