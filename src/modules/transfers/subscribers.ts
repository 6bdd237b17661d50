import { subscribe } from '../../infra/outbox/subscribe'
import { PermissionsChanged } from '../memberships/events'
import { RoleChanged } from '../roles/events'
import { CheckRights, CheckRole } from './jobs'

export const transferSubscribers = [
  subscribe(PermissionsChanged, CheckRights),
  subscribe(RoleChanged, CheckRole),
]
