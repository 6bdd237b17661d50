import type { AreaScreen } from '../area'

/** The lists of what WhatsApp has to know before it is sent, in their order. */
export const TEMPLATE_LISTS = [
  { to: '/templates', text: 'forms.templates', icon: 'templates', needs: ['templates:read'] },
  { to: '/forms', text: 'forms.title', icon: 'list', needs: ['flows:read'] },
] as const satisfies readonly AreaScreen[]
