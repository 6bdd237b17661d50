import { useState } from 'react'

import { call } from '../../api/client'
import { reloadMe, signOut } from '../../api/session'
import { Button } from '../../parts/button'
import { fieldErrors, Form, PasswordField, textOf } from '../../parts/field'
import { sentenceOf, Trouble } from '../../parts/state'
import { report } from '../../parts/toast'
import { t } from '../../texts/texts'
import { SignInCard } from './card'

/**
 * Replaces a password that somebody else chose, before anything else can be done.
 *
 * @param typed The password of the sign-in a moment ago; `null` asks for it.
 */
export function ChangePassword({ typed }: { typed: string | null }) {
  const [error, setError] = useState<unknown>(null)
  const [differs, setDiffers] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const submit = (data: FormData): void => {
    const password = textOf(data, 'new_password')
    setDiffers(password !== textOf(data, 'repeated'))
    if (password !== textOf(data, 'repeated')) return
    setBusy(true)
    setError(null)
    call('PUT /api/me/password', {
      body: { current_password: typed ?? textOf(data, 'current_password'), new_password: password },
    })
      .then(reloadMe)
      .catch(setError)
      .finally(() => {
        setBusy(false)
      })
  }
  return (
    <SignInCard title={t('sign-in.change.title')} hint={t('sign-in.change.hint')}>
      {error !== null && <Trouble>{sentenceOf(error)}</Trouble>}
      {differs && <Trouble>{t('sign-in.change.differs')}</Trouble>}
      <Form onSubmit={submit} validationErrors={fieldErrors(error)}>
        {typed === null && (
          <PasswordField
            name="current_password"
            label={t('sign-in.change.current')}
            isRequired
            autoComplete="current-password"
            autoFocus
          />
        )}
        <PasswordField
          name="new_password"
          label={t('sign-in.change.new')}
          hint={t('sign-in.change.rule')}
          isRequired
          minLength={8}
          autoComplete="new-password"
          autoFocus={typed !== null}
        />
        <PasswordField
          name="repeated"
          label={t('sign-in.change.repeat')}
          isRequired
          autoComplete="new-password"
        />
        <Button type="submit" look="primary" isPending={isBusy}>
          {t('sign-in.change.submit')}
        </Button>
        <Button
          look="quiet"
          onPress={() => {
            signOut().catch(report)
          }}
        >
          {t('shell.account.sign-out')}
        </Button>
      </Form>
    </SignInCard>
  )
}
