import type { ReactNode } from 'react'

import { t } from '../../texts/texts'
import { Area } from '../area'
import { CONTACT_LISTS } from './lists'

/** The frame of the lists about people: which there are, and one of them. */
export const ContactArea = ({ children }: { children: ReactNode }) => (
  <Area title={t('contacts.title')} screens={CONTACT_LISTS}>
    {children}
  </Area>
)
