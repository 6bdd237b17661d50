import { useState, type ReactNode } from 'react'

import { PlainButton } from './button'
import { Icon } from './icons'

interface Props {
  title: string
  /** What is shown, and loaded, once somebody opens it. */
  children: () => ReactNode
}

/** A part of a panel that is loaded when somebody opens it. */
export function Disclosure({ title, children }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <section className="panel-part" aria-label={title}>
      <PlainButton
        className="disclosure"
        aria-expanded={isOpen}
        onPress={() => {
          setOpen(!isOpen)
        }}
      >
        <Icon name={isOpen ? 'down' : 'right'} size={16} />
        {title}
      </PlainButton>
      {isOpen && children()}
    </section>
  )
}
