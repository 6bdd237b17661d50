/**
 * Which number the dialog connects: one that only programs use (`new`), or one that stays in the
 * WhatsApp Business app of a phone as well (`phone_app`, the platform's coexistence).
 */
export type SignupKind = 'new' | 'phone_app'

/**
 * Returns the address of the platform's signup dialog (Embedded Signup v4), which leads to a page
 * with a code. Its parameters `redirect_uri` and `state` are missing. The version is chosen by the
 * configuration; `setup` must be sent even without details to fill in.
 */
export function signupDialog(call: {
  /** Website of the dialog, without a path. */
  website: string
  apiVersion: string
  appId: string
  configId: string
  kind: SignupKind
}): string {
  const url = new URL(`${call.website}/${call.apiVersion}/dialog/oauth`)
  const extras = {
    setup: {},
    ...(call.kind === 'phone_app' ? { featureType: 'whatsapp_business_app_onboarding' } : {}),
  }
  url.searchParams.set('client_id', call.appId)
  url.searchParams.set('config_id', call.configId)
  url.searchParams.set('response_type', 'code')
  url.searchParams.set('override_default_response_type', 'true')
  url.searchParams.set('extras', JSON.stringify(extras))
  return url.href
}
