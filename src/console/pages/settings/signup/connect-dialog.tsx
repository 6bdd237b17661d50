import { useState } from 'react'

import type { Account } from '../../../api/shapes'
import { Dialog } from '../../../parts/dialog'
import { t } from '../../../texts/texts'
import { ConnectByHand } from '../number/connect-by-hand'
import { NumberSetup } from './number-setup'
import { SignupSteps } from './steps'
import { useSignup, type Dialogs } from './use-signup'

interface Props {
  dialogs: Dialogs | null
  /** The number to set up; `null` to connect one. */
  accountId?: string | null
  /** Called with a number that was connected by hand. */
  onConnected?: (account: Account) => void
  onClose: () => void
}

/**
 * The window in which a number is connected, with the platform's dialog if there is one or by hand,
 * and set up.
 */
export function ConnectDialog({ dialogs, accountId = null, onConnected, onClose }: Props) {
  const [isByHand, setByHand] = useState(dialogs === null && accountId === null)
  if (isByHand) return <ConnectByHand onConnected={onConnected} onClose={onClose} />
  return dialogs === null ? (
    <Dialog title={t('signup.setup.title')} size="medium" isOpen onClose={onClose}>
      <NumberSetup accountId={accountId ?? ''} onRenew={null} onClose={onClose} />
    </Dialog>
  ) : (
    <SignupDialog
      dialogs={dialogs}
      accountId={accountId}
      onByHand={() => {
        setByHand(true)
      }}
      onClose={onClose}
    />
  )
}

/** Connects a number with the platform's dialog, or renews one, and shows what is left to do. */
function SignupDialog({
  dialogs,
  accountId,
  onByHand,
  onClose,
}: Omit<Props, 'onConnected'> & {
  dialogs: Dialogs
  accountId: string | null
  onByHand: () => void
}) {
  const signup = useSignup(dialogs)
  const { step } = signup
  const shown =
    step.kind === 'connected' ? step.accountId : step.kind === 'start' ? accountId : null
  return (
    <Dialog
      title={t(shown === null ? 'settings.numbers.add' : 'signup.setup.title')}
      size="medium"
      isOpen
      onClose={onClose}
    >
      {shown === null ? (
        <SignupSteps signup={signup} onByHand={onByHand} />
      ) : (
        <NumberSetup
          accountId={shown}
          isNew={step.kind === 'connected' && accountId === null}
          error={signup.error}
          onRenew={(kind) => {
            signup.open(kind)
          }}
          onClose={onClose}
        />
      )}
    </Dialog>
  )
}
