import { can, type Me, type PermissionKey } from '../api/shapes'
import type { IconName } from '../parts/icons'
import type { PLACE_KEYS } from '../parts/keys'
import type { TextKey } from '../texts/texts'

/** A place of the console. */
export interface Place {
  to: keyof typeof PLACE_KEYS
  icon: IconName
  text: TextKey
  /** Permissions of which a user needs one to see it; none for everybody. */
  needs: PermissionKey[]
  /** Other paths of its area. */
  also?: readonly string[]
  /** Whether another place leads there, so that it needs no room of its own on a desk. */
  isAside?: true
  /** Whether only who runs the server sees it. */
  isForOperators?: true
}

/** The places of the console that exist, in their order. */
export const PLACES: readonly Place[] = [
  { to: '/inbox', icon: 'inbox', text: 'shell.nav.inbox', needs: ['messages:read'] },
  {
    to: '/contacts',
    icon: 'contacts',
    text: 'shell.nav.contacts',
    needs: ['contacts:read'],
    also: ['/scheduled', '/calls', '/orders'],
  },
  {
    to: '/campaigns',
    icon: 'campaigns',
    text: 'shell.nav.campaigns',
    needs: ['campaigns:read'],
  },
  {
    to: '/templates',
    also: ['/forms'],
    icon: 'templates',
    text: 'shell.nav.templates',
    needs: ['templates:read'],
  },
  { to: '/bot', icon: 'chatbot', text: 'shell.nav.bot', needs: ['chatbot:read'] },
  {
    to: '/search',
    icon: 'search',
    text: 'shell.nav.search',
    needs: ['messages:read'],
    isAside: true,
  },
  {
    to: '/transfers',
    icon: 'transfers',
    text: 'shell.nav.transfers',
    needs: ['transfers:read'],
    isAside: true,
  },
  {
    to: '/analytics',
    icon: 'analytics',
    text: 'shell.nav.analytics',
    needs: ['analytics:read', 'transfers:assign'],
  },
  { to: '/settings', icon: 'settings', text: 'shell.nav.settings', needs: [] },
  { to: '/server', icon: 'server', text: 'shell.nav.server', needs: [], isForOperators: true },
]

/** Returns the first place that a person may see. Who may see none is told by the inbox what is missing. */
export const firstPlaceOf = (me: Me): Place['to'] =>
  PLACES.find(
    ({ needs, isAside }) =>
      isAside !== true &&
      me.permissions.length > 0 &&
      (needs.length === 0 || needs.some((one) => can(me, one))),
  )?.to ?? '/inbox'
