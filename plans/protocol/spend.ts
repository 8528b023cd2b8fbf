/** Limits that a call is checked against before it is made; tokens are input and output together. */
export interface SpendLimits {
  readonly usd?: number;
  readonly calls?: number;
  readonly tokens?: number;
}
