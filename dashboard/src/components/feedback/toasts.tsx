import '@mantine/notifications/styles.css';
import { Notifications, notifications } from '@mantine/notifications';

export const { show } = notifications;

export default function Toasts() {
  // One that waits for another to close is a message too late.
  return <Notifications position="bottom-right" autoClose={5000} limit={10} pauseResetOnHover="notification" />;
}
