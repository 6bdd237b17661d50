import type { ReactNode } from 'react'

import { t } from '../../texts/texts'
import { Area, type AreaScreen } from '../area'

/** The lists of what WhatsApp has to know before it is sent, in their order. */
export const TEMPLATE_LISTS = [
  { to: '/templates', text: 'forms.templates', icon: 'templates', needs: ['templates:read'] },
  { to: '/forms', text: 'forms.title', icon: 'list', needs: ['flows:read'] },
] as const satisfies readonly AreaScreen[]

/** The frame of the lists of templates and forms: which there are, and one of them. */
export const TemplateArea = ({ children }: { children: ReactNode }) => (
  <Area title={t('shell.nav.templates')} screens={TEMPLATE_LISTS}>
    {children}
  </Area>
)
