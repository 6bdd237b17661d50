import { useState } from 'react'

import { t } from '../../texts/texts'
import { PlainButton } from '../button'
import { Icon, type IconName } from '../icons'
import type { PhoneButton, PhoneMessage } from './message'

const BUTTON_ICONS: Record<PhoneButton['kind'], IconName> = {
  reply: 'reply',
  link: 'link',
  phone: 'phone',
  copy: 'copy',
  form: 'list',
  products: 'cart',
  call: 'phone',
  contact: 'contact',
}

/** With more buttons than this, WhatsApp shows the first two and leads to the others. */
const MOST_SHOWN = 3

interface ButtonsProps {
  buttons: readonly PhoneButton[]
  /** Called with the number of a button that was tapped. Without it none can be. */
  onTap?: ((index: number) => void) | undefined
}

/** The buttons below a message on the phone. */
export function Buttons({ buttons, onTap }: ButtonsProps) {
  const [isWhole, setWhole] = useState(false)
  const isShort = buttons.length > MOST_SHOWN && !isWhole
  return (
    <>
      {(isShort ? buttons.slice(0, MOST_SHOWN - 1) : buttons).map(({ kind, text }, index) => {
        const words = (
          <>
            <Icon name={BUTTON_ICONS[kind]} size={16} />
            <bdi>{text || t(`parts.phone.button.${kind}`)}</bdi>
          </>
        )
        return onTap ? (
          <PlainButton
            key={index}
            className="phone-button"
            onPress={() => {
              onTap(index)
            }}
          >
            {words}
          </PlainButton>
        ) : (
          <p key={index} className="phone-button">
            {words}
          </p>
        )
      })}
      {isShort && (
        <PlainButton
          className="phone-button"
          onPress={() => {
            setWhole(true)
          }}
        >
          <Icon name="list" size={16} />
          {t('parts.phone.all-buttons')}
        </PlainButton>
      )}
    </>
  )
}

interface ListProps {
  list: NonNullable<PhoneMessage['list']>
  /** Called with the number of a row that was tapped, over all sections. Without it none can be. */
  onTap?: ((index: number) => void) | undefined
}

/** The button of a list; it opens the rows from which a customer chooses one. */
export function List({ list: { button, sections }, onTap }: ListProps) {
  const [isOpen, setOpen] = useState(false)
  const firstOf = (section: number): number =>
    sections.slice(0, section).reduce((sum, { rows }) => sum + rows.length, 0)
  return (
    <>
      <PlainButton
        className="phone-button"
        aria-expanded={isOpen}
        onPress={() => {
          setOpen(!isOpen)
        }}
      >
        <Icon name="list" size={16} />
        <bdi>{button}</bdi>
      </PlainButton>
      {isOpen &&
        sections.map(({ title, rows }, index) => (
          <div key={index} className="phone-section">
            {title !== '' && (
              <p className="phone-section-title small" dir="auto">
                {title}
              </p>
            )}
            {rows.map((row, nth) => {
              const words = (
                <>
                  <span dir="auto">{row.title}</span>
                  {row.description !== '' && (
                    <span className="small" dir="auto">
                      {row.description}
                    </span>
                  )}
                </>
              )
              return onTap ? (
                <PlainButton
                  key={nth}
                  className="phone-row"
                  onPress={() => {
                    setOpen(false)
                    onTap(firstOf(index) + nth)
                  }}
                >
                  {words}
                </PlainButton>
              ) : (
                <p key={nth} className="phone-row">
                  {words}
                </p>
              )
            })}
          </div>
        ))}
    </>
  )
}
