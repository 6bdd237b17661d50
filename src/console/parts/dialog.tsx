import { useEffect, useState, type ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'

import { formatNumber } from '../texts/format'
import { t } from '../texts/texts'
import { Button, IconButton } from './button'
import { TextField } from './field'

interface Props {
  title: string
  isOpen: boolean
  onClose: () => void
  /** `bare`: at the top of the page, and its title is only read out. */
  size?: 'small' | 'medium' | 'large' | 'bare'
  /** Whether a click outside or Escape closes it. Not for secrets that are shown once. */
  isDismissable?: boolean
  children: ReactNode
}

/** Time in which a page shows what a window changed, milliseconds. */
const SHOWING_MS = 250

/** Leads the focus to the heading of the page if what opened a window is gone when it closes. */
function useFocusAfter(isOpen: boolean): void {
  useEffect(
    () =>
      isOpen
        ? () => {
            setTimeout(() => {
              if (document.activeElement !== document.body) return
              document.querySelector<HTMLElement>('#content h1')?.focus({ preventScroll: true })
            }, SHOWING_MS)
          }
        : undefined,
    [isOpen],
  )
}

/** A window over the page. The focus returns to where it was when it closes. */
export function Dialog({
  title,
  isOpen,
  onClose,
  size = 'small',
  isDismissable = true,
  children,
}: Props) {
  useFocusAfter(isOpen)
  return (
    <ModalOverlay
      className="overlay"
      isOpen={isOpen}
      isDismissable={isDismissable}
      isKeyboardDismissDisabled={!isDismissable}
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
    >
      <Modal className={`modal modal-${size}`}>
        <AriaDialog className="dialog">
          <header className={size === 'bare' ? 'visually-hidden' : ''}>
            <Heading slot="title">{title}</Heading>
            {isDismissable && size !== 'bare' && (
              <IconButton icon="close" label={t('parts.action.close')} onPress={onClose} />
            )}
          </header>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

interface ConfirmProps {
  title: string
  text: string
  /** Names the action and its object, such as "Delete 214 contacts". */
  action: string
  isOpen: boolean
  isDangerous?: boolean
  /** Whether it is known yet what the action changes. */
  isReady?: boolean
  onConfirm: () => void
  onClose: () => void
  /** What has to be typed first, such as the number of people when they are many. */
  typed?: string | undefined
  /** What helps to decide. */
  children?: ReactNode
}

/** More people than this are typed as a number before something is done to them. */
const MANY = 1_000

/** Returns what has to be typed before something is done to so many people. */
export const typedFor = (people: number): string | undefined =>
  people > MANY ? String(people) : undefined

/** Asks before an action that cannot be undone. */
export function Confirm({
  title,
  text,
  action,
  isOpen,
  isDangerous = true,
  isReady = true,
  onConfirm,
  onClose,
  typed,
  children,
}: ConfirmProps) {
  const [written, setWritten] = useState('')
  const isTyped = typed === undefined || written.replaceAll(/\D/g, '') === typed
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <p>{text}</p>
      {children}
      {typed !== undefined && (
        <TextField
          label={t('parts.confirm.type', { number: formatNumber(Number(typed)) })}
          inputMode="numeric"
          autoFocus
          value={written}
          onChange={setWritten}
        />
      )}
      <footer className="actions">
        <Button onPress={onClose}>{t('parts.action.cancel')}</Button>
        <Button
          look={isDangerous ? 'danger' : 'primary'}
          autoFocus={typed === undefined}
          isDisabled={!isTyped || !isReady}
          onPress={() => {
            onClose()
            onConfirm()
          }}
        >
          {action}
        </Button>
      </footer>
    </Dialog>
  )
}
