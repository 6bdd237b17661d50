import type { ReactNode } from 'react'

import { t } from '../../texts/texts'
import { Area } from '../area'
import { TEMPLATE_LISTS } from './lists'

/** The frame of the lists of templates and forms: which there are, and one of them. */
export const TemplateArea = ({ children }: { children: ReactNode }) => (
  <Area title={t('shell.nav.templates')} screens={TEMPLATE_LISTS}>
    {children}
  </Area>
)
