/** Knows the requests that this process has not answered yet. */
export interface OpenRequests {
  /**
   * Whether a request is open that may change data of an organization and arrived before a moment of
   * `performance.now()`. A request without a caller may be about any organization.
   */
  hasChangeOf(organizationId: string, beforeMs: number): boolean
}

declare module './ctx' {
  interface Deps {
    openRequests: OpenRequests
  }
}
