const DIALOG = 'https://www.facebook.com'

/**
 * Returns the address of the platform's signup dialog, which leads to a page with a code. Its
 * parameters `redirect_uri` and `state` are missing.
 */
export function signupDialog(call: {
  apiVersion: string
  appId: string
  configId: string
}): string {
  const url = new URL(`${DIALOG}/${call.apiVersion}/dialog/oauth`)
  url.searchParams.set('client_id', call.appId)
  url.searchParams.set('config_id', call.configId)
  url.searchParams.set('response_type', 'code')
  url.searchParams.set('override_default_response_type', 'true')
  url.searchParams.set('extras', JSON.stringify({ setup: {}, sessionInfoVersion: '3' }))
  return url.href
}
