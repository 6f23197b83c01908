import { Component, type ReactNode } from 'react';

interface ErrorBoundaryProps {
  readonly children: ReactNode;
  /** What stands in their place when they throw. */
  readonly fallback: (error: unknown) => ReactNode;
}

interface ErrorBoundaryState {
  readonly caught?: { readonly error: unknown };
}

/** Keeps what is around from going down with the children. Begins again under another `key`. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = {};

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { caught: { error } };
  }

  override render(): ReactNode {
    const { caught } = this.state;
    return caught ? this.props.fallback(caught.error) : this.props.children;
  }
}
