import com.amazonaws.services.dynamodbv2.local.main.ServerRunner;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** DynamoDB Local in memory, on a free port of loopback, which it prints; it ends with its standard input. */
class DynamoDBLocal {
  public static void main(String[] args) throws Exception {
    var proxy = ServerRunner.createServerFromCommandLineArgs(new String[] {"-inMemory", "-disableTelemetry"});
    var field = proxy.getClass().getDeclaredField("server");
    field.setAccessible(true);
    var connector = (ServerConnector) ((Server) field.get(proxy)).getConnectors()[0];
    connector.setHost("127.0.0.1");
    connector.setPort(0);
    proxy.start();
    System.out.println("listening on " + connector.getLocalPort());
    while (System.in.read() >= 0) {}
    System.exit(0);
  }
}
