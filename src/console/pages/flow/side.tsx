import type { ReactNode } from 'react'

import { IconButton } from '../../parts/button'
import { Icon, type IconName } from '../../parts/icons'
import { useKeys } from '../../parts/keys'
import { t } from '../../texts/texts'

interface Props {
  /** What it is, for those who hear the page. */
  label: string
  title: string
  icon: IconName
  /** Buttons beside the title. */
  actions?: ReactNode
  onClose: () => void
  children: ReactNode
}

/**
 * What stands beside the steps of a flow; on phones in their place. Escape closes it from its own
 * fields too, and while nothing has the focus.
 */
export function Side({ label, title, icon, actions, onClose, children }: Props) {
  useKeys({ Escape: onClose })
  return (
    <section
      className="flow-side"
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return
        event.preventDefault()
        onClose()
      }}
    >
      <header className="flow-side-head">
        <Icon name={icon} />
        <h2 className="grow">{title}</h2>
        {actions}
        <IconButton icon="close" label={t('parts.action.close')} onPress={onClose} />
      </header>
      {children}
    </section>
  )
}
