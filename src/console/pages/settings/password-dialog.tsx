import { useState } from 'react'

import { call } from '../../api/client'
import { PasswordField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { notify } from '../../parts/toast'
import { t } from '../../texts/texts'

/** The window in which users change their password. */
export function PasswordDialog({ onClose }: { onClose: () => void }) {
  const [password, setPassword] = useState('')
  return (
    <FormDialog
      title={t('settings.profile.password.change')}
      submit={t('settings.action.save')}
      onClose={onClose}
      onSave={async (data) => {
        await call('PUT /api/me/password', {
          body: { current_password: textOf(data, 'current_password'), new_password: password },
        })
        notify(t('settings.profile.password.done'))
      }}
    >
      <PasswordField
        name="current_password"
        label={t('settings.profile.password.current')}
        isRequired
        autoFocus
        autoComplete="current-password"
      />
      <PasswordField
        name="new_password"
        label={t('settings.profile.password.new')}
        hint={t('settings.profile.password.rule')}
        value={password}
        onChange={setPassword}
        isRequired
        minLength={8}
        autoComplete="new-password"
      />
      <PasswordField
        name="repeated"
        label={t('settings.profile.password.repeat')}
        isRequired
        autoComplete="new-password"
        validate={(text) => (text === password ? null : t('settings.profile.password.differs'))}
      />
    </FormDialog>
  )
}
