import type { AreaScreen } from '../area'

/** The lists about people, in their order. */
export const CONTACT_LISTS = [
  {
    ...{ to: '/contacts', text: 'records.area.people' },
    ...{ icon: 'contacts', needs: ['contacts:read'] },
    isExact: true,
  },
  {
    ...{ to: '/contacts/duplicates', text: 'records.duplicates.title' },
    ...{ icon: 'copy', needs: ['contacts:read', 'contacts:update'] },
  },
  { to: '/scheduled', text: 'records.area.scheduled', icon: 'clock', needs: ['messages:create'] },
  { to: '/calls', text: 'records.calls.title', icon: 'phone', needs: ['messages:read'] },
  { to: '/orders', text: 'records.orders.title', icon: 'cart', needs: ['messages:read'] },
] as const satisfies readonly AreaScreen[]
