import type { PermissionKey } from '../../api/shapes'
import type { TextKey } from '../../texts/texts'
import type { IconName } from '../icons'

interface Place {
  to: '/contacts' | '/contacts/duplicates' | '/scheduled' | '/calls' | '/orders'
  text: TextKey
  icon: IconName
  needs: PermissionKey
}

/** The lists about people, in their order. */
export const CONTACT_LISTS: readonly Place[] = [
  { to: '/contacts', text: 'records.area.people', icon: 'contacts', needs: 'contacts:read' },
  {
    ...{ to: '/contacts/duplicates', text: 'records.duplicates.title' },
    ...{ icon: 'copy', needs: 'contacts:update' },
  },
  { to: '/scheduled', text: 'records.area.scheduled', icon: 'clock', needs: 'messages:create' },
  { to: '/calls', text: 'records.calls.title', icon: 'phone', needs: 'messages:read' },
  { to: '/orders', text: 'records.orders.title', icon: 'cart', needs: 'messages:read' },
]
