import { useState, type ReactNode } from 'react'

import { ApiError } from '../../api/error'
import { signInAgain } from '../../api/session'
import { useMe } from '../../live/me'
import { PasswordField, TextField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { t } from '../../texts/texts'

interface Waiting {
  work: () => Promise<unknown>
  resolve: () => void
  reject: (error: unknown) => void
}

/**
 * Returns how work is run that asks for a sign-in of the last five minutes: if it is longer ago, the
 * person enters their password first and stays where they are. `dialog` is that window.
 */
export function useFresh(): {
  run: (work: () => Promise<unknown>) => Promise<void>
  dialog: ReactNode
} {
  const [waiting, setWaiting] = useState<Waiting | null>(null)
  const { two_factor_enabled: hasCode } = useMe()
  return {
    run: async (work) => {
      try {
        await work()
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'fresh_login_required') throw error
        await new Promise<void>((resolve, reject) => {
          setWaiting({
            work,
            resolve,
            reject: () => {
              reject(error)
            },
          })
        })
      }
    },
    dialog: waiting && (
      <FormDialog
        title={t('server.fresh.title')}
        submit={t('server.fresh.go-on')}
        onClose={() => {
          waiting.reject(null)
          setWaiting(null)
        }}
        onSave={async (data) => {
          const code = textOf(data, 'code').trim()
          const proof = { password: textOf(data, 'password'), ...(code === '' ? {} : { code }) }
          const problem = await signInAgain(proof)
          if (problem) throw problem
          await waiting.work()
          waiting.resolve()
        }}
      >
        <p>{t('server.fresh.hint')}</p>
        <PasswordField
          name="password"
          label={t('server.fresh.password')}
          isRequired
          autoFocus
          autoComplete="current-password"
        />
        {hasCode && (
          <TextField
            name="code"
            label={t('server.fresh.code')}
            isRequired
            autoComplete="one-time-code"
          />
        )}
      </FormDialog>
    ),
  }
}
